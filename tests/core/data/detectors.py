"""Names of things in the styles of detectors and simulators: what homes have, as these spell it."""

from __future__ import annotations

from typing import Final

__all__ = ["DETECTORS"]

_THOR: Final = """
AlarmClock, AluminumFoil, Apple, AppleSliced, ArmChair, BaseballBat, BasketBall, Bathtub,
BathtubBasin, Bed, Blinds, Book, Boots, Bottle, Bowl, Box, Bread, BreadSliced, ButterKnife,
Cabinet, Candle, CD, CellPhone, Chair, Cloth, CoffeeMachine, CoffeeTable, CounterTop, CreditCard,
Cup, Curtains, Desk, DeskLamp, Desktop, DiningTable, DishSponge, DogBed, Drawer, Dresser,
Dumbbell, Egg, EggCracked, Faucet, Floor, FloorLamp, Footstool, Fork, Fridge, GarbageBag,
GarbageCan, HandTowel, HandTowelHolder, HousePlant, Kettle, KeyChain, Knife, Ladle, Laptop,
LaundryHamper, Lettuce, LettuceSliced, LightSwitch, Mirror, Mug, Newspaper, Ottoman, Painting,
Pan, PaperTowelRoll, Pen, Pencil, PepperShaker, Pillow, Plate, Plunger, Poster, Pot, Potato,
PotatoSliced, RemoteControl, RoomDecor, Safe, SaltShaker, ScrubBrush, Shelf, ShelvingUnit,
ShowerCurtain, ShowerDoor, ShowerGlass, ShowerHead, SideTable, Sink, SinkBasin, SoapBar,
SoapBottle, Sofa, Spatula, Spoon, SprayBottle, Statue, Stool, StoveBurner, StoveKnob,
TableTopDecor, TargetCircle, TeddyBear, Television, TennisRacket, TissueBox, Toaster, Toilet,
ToiletPaper, ToiletPaperHanger, Tomato, TomatoSliced, Towel, TowelHolder, TVStand, VacuumCleaner,
Vase, Watch, WateringCan, Window, WineBottle
"""

_OPEN_IMAGES: Final = """
Barge, Beer, Blender, Bottle, Bottle opener, Bowl, Bread, Cabbage, Cake stand, Can opener, Carrot,
Cheese, Chopsticks, Closet, Coffee, Coffee cup, Coffeemaker, Coffee table, Common fig, Container,
Cooking spray, Cookie, Countertop, Croissant, Cucumber, Cupboard, Curtain, Cutting board, Dairy
Product, Dishwasher, Drawer, Drinking straw, Facial tissue holder, Food processor, Fork, French
fries, Frying pan, Garden Asparagus, Gas stove, Grapefruit, Guacamole, Hand dryer, Home appliance,
Hot dog, Ice cream, Infant bed, Jug, Juice, Kettle, Kitchen & dining room table, Kitchen
appliance, Kitchen knife, Kitchen utensil, Kitchenware, Knife, Ladle, Lamp, Light bulb, Light
switch, Loveseat, Measuring cup, Microwave oven, Mixer, Mixing bowl, Muffin, Mug, Mushroom,
Nightstand, Oven, Pancake, Paper cutter, Paper towel, Pasta, Pastry, Peach, Pear, Picnic basket,
Pitcher, Pizza cutter, Plastic bag, Plate, Platter, Popcorn, Potato, Pressure cooker, Pretzel,
Pumpkin, Refrigerator, Salad, Salt and pepper shakers, Sandwich, Saucer, Seafood, Serving tray,
Shelf, Shower, Sink, Slow cooker, Snack, Soap dispenser, Sofa bed, Spatula, Spice rack, Spoon,
Strawberry, Studio couch, Sushi, Table, Tableware, Tap, Tea, Teapot, Tin can, Toaster, Tomato,
Towel, Tree house, Vase, Waffle, Waffle iron, Washing machine, Waste container, Watermelon, Whisk,
Wine, Wine glass, Wine rack, Winter melon, Wok, Wood-burning stove, Zucchini, Bell pepper, Bagel,
Bathroom cabinet, Bathroom accessory, Bidet, Candy, Chest of drawers, Dog bed, Egg (Food), Filing
cabinet, Fireplace, Flowerpot, Houseplant, Humidifier, Mechanical fan, Ceiling fan, Toothbrush,
Toilet paper, Soap, Sewing machine, Scale, Ruler, Pillow, Perfume, Lipstick, Hair dryer, Hair
spray, Remote control, Mobile phone, Computer mouse, Computer keyboard, Computer monitor, Corded
phone, Tablet computer, Television, Headphones, Human face, Man, Woman, Stairs, Door handle,
Window blind, Picture frame, Alarm clock, Digital clock, Wall clock, Watch, Envelope, Stapler,
Scissors, Screwdriver, Wrench, Hammer, Drill (Tool), Chisel, Ladder, Torch, Flashlight, Adhesive
tape, Pencil case, Pencil sharpener, Eraser, Pen, Book, Bookcase, Backpack, Briefcase, Suitcase,
Handbag, Umbrella, Sunglasses, Glasses, Goggles, Hat, Sock, Shirt, Jeans, Skirt, Dress, Coat,
Jacket, Glove, Scarf, Tie, Boot, High heels, Sandal, Footwear, Clothing
"""

_LVIS: Final = """
alarm_clock, aerosol_can, apron, armchair, ashtray, avocado, baby_buggy, bagel, banana, bandanna,
barrel, basket, bath_mat, bath_towel, bathrobe, bathtub, battery, beanie, bedspread, bell_pepper,
beer_bottle, beer_can, bib, birdcage, birthday_cake, blanket, blender, blueberry, bobbin, bolt,
bookcase, booklet, bottle_cap, bottle_opener, bowl, bread, bread-bin, briefcase, broccoli, broom,
brownie, bucket, bun, bunk_bed, butter, cabbage, cabinet, cake, calculator, calendar, can,
can_opener, candle, candle_holder, candy_bar, cappuccino, carton, casserole, cauliflower,
cayenne_(spice), celery, cellular_telephone, chair, chalice, chessboard, chocolate_bar,
chopping_board, chopstick, cigarette, cistern, clementine, clock, clothes_hamper, clothespin,
coaster, coat_hanger, coatrack, cocoa_(beverage), coffee_maker, coffee_table, coffeepot, colander,
cookie, cooking_utensil, cooler_(for_food), cork_(bottle_plug), corkboard, corkscrew, cornbread,
crayon, crisp_(potato_chip), crock_pot, crouton, crumb, cucumber, cup, cupboard, cupcake, curtain,
cushion, desk, detergent, dish, dish_antenna, dishrag, dishtowel, dishwasher,
dishwasher_detergent, dispenser, Dixie_cup, doorknob, doormat, doughnut, drawer, dresser,
duffel_bag, dumpster, dustpan, earphone, earring, egg, egg_yolk, eggbeater, eggplant,
electric_chair, refrigerator, fan, faucet, fig_(fruit), file_cabinet, fireplace, fish_(food),
flashlight, flip-flop_(sandal), flower_arrangement, flute_glass, folding_chair, food_processor,
fork, freezer, French_toast, freshener, frying_pan, funnel, garbage, garden_hose, gargle, garlic,
gift_wrap, ginger, glass_(drink_container), gorgonzola, gourd, grape, grater, green_bean,
green_onion, griddle, grill, grits, guava, hairbrush, hair_dryer, halter_top, ham, hamburger,
hammer, hamper, hand_towel, handkerchief, hardback_book, headboard, headset, heater, highchair,
honey, hose, hot_plate, hummus, ice_maker, ice_pack, icecream, iron_(for_clothing), ironing_board,
jam, jar, jelly_bean, jewelry, jug, kettle, kitchen_sink, kitchen_table, kiwi_fruit, knife, ladle,
lamp, lampshade, lantern, laptop_computer, lemon, lemonade, lettuce, lightbulb, lime, liquor, log,
lollipop, mango, manger, mandarin_orange, mashed_potato, matchbox, mattress, measuring_cup,
measuring_stick, meatball, melon, microwave_oven, milk, milk_can, milkshake, mirror,
mixer_(kitchen_tool), money, motor, mouse_(computer_equipment), mousepad, mug, mushroom, nailfile,
napkin, newspaper, nut, nutcracker, oil_lamp, olive_oil, omelet, onion, orange_(fruit),
orange_juice, ottoman, oven, pacifier, padlock, pan_(for_cooking), pancake, papaya, paper_plate,
paper_towel, paperback_book, paperweight, parsley, pastry, pea_(food), peach, peanut_butter, pear,
peeler_(tool_for_fruit_and_vegetables), pen, pencil, pencil_box, pencil_sharpener, pepper,
pepper_mill, persimmon, pickle, pie, pillow, pineapple, pipe_bowl, pita_(bread),
pitcher_(vessel_for_liquid), pizza, place_mat, plate, platter, playpen, pliers, plume, poncho,
pop_(soda), Popsicle, pot, potato, potholder, pottery, pouch, power_shovel, projector, prune,
pudding, quiche, quilt, radiator, radish, raisin, raspberry, rat, razorblade, rearview_mirror,
recliner, remote_control, rib_(food), rolling_pin, router_(computer_equipment), rubber_band,
salad, salami, salmon_(food), salsa, saltshaker, sandal_(type_of_shoe), sandwich, saucer, sausage,
scissors, scrubbing_brush, seashell, sewing_machine, shampoo, shaving_cream, shears, sharpener,
sherbert, shoe, shopping_bag, shopping_cart, shot_glass, shower_cap, shower_curtain, shower_head,
sieve, sink, skewer, sleeping_bag, slipper_(footwear), smoothie, soap, soccer_ball, sock, sofa,
sofa_bed, soup, soup_bowl, soupspoon, sour_cream, soya_milk, spatula, speaker_(stereo_equipment),
spice_rack, spoon, squash_(fruit), stapler, statue_(sculpture), steak_(food), steak_knife,
step_stool, stepladder, stereo_(sound_system), stew, stirrer, stool, stove, strainer, strap,
straw_(for_drinking), strawberry, street_sign, sugar_bowl, sugarcane_(plant), suitcase,
sunglasses, sushi, sweat_pants, sweater, sweatshirt, sweet_potato, table, table_lamp, tablecloth,
tachometer, taco, tag, tape_(sticky_cloth_or_paper), tape_measure, tartan, tea_bag, teacup,
teakettle, teapot, teddy_bear, telephone, television_set, thermometer, thermos_bottle, thermostat,
thimble, thumbtack, tinfoil, tissue_paper, toast_(food), toaster, toaster_oven, toilet,
toilet_tissue, tomato, tongs, toolbox, toothbrush, toothpaste, toothpick, cover, tortilla, towel,
towel_rack, trash_can, tray, trunk, turban, turnip, vacuum_cleaner, vase, vending_machine,
vinegar, vitamin, waffle, waffle_iron, wall_clock, wall_socket, wallet, wardrobe, washbasin,
automatic_washer, watch, water_bottle, water_cooler, water_faucet, water_heater, water_jug,
watering_can, watermelon, wet_suit, wheel, whipped_cream, whistle, wig, wind_chime,
window_box_(for_plants), wine_bottle, wine_bucket, wineglass, blinder_(for_horses), wok,
wooden_spoon, wreath, wrench, wristlet, yogurt, zucchini
"""

DETECTORS: Final = {
    name: [" ".join(one.split()) for one in text.split(",")]
    for name, text in (("thor", _THOR), ("open images", _OPEN_IMAGES), ("lvis", _LVIS))
}
"""Names by the style they are in."""
